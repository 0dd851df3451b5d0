// Lets in whoever has the right token.
export const handler = async ({ authorizationToken, methodArn }) => {
  if (authorizationToken === "nobody") throw new Error("Unauthorized");
  const Effect = authorizationToken === "good" ? "Allow" : "Deny";
  const Statement = [{ Effect, Action: "execute-api:Invoke", Resource: methodArn }];
  return { principalId: "caller", policyDocument: { Version: "2012-10-17", Statement } };
};
