// Answers how the request reached it.
export const handler = async ({ rawPath, routeKey, pathParameters, requestContext }) => ({
  rawPath,
  routeKey,
  id: pathParameters?.id,
  domainName: requestContext.domainName,
  domainPrefix: requestContext.domainPrefix,
});
