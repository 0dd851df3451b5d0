// Answers how the request reached it.
export const handler = async ({ resource, path, requestContext, pathParameters }) => ({
  statusCode: 200,
  body: JSON.stringify({
    resource,
    path,
    requestPath: requestContext.path,
    domainName: requestContext.domainName,
    id: pathParameters?.id,
    shop: process.env.SHOP,
  }),
});
