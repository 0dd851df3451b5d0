// Which route wins, and what its parameters are.
import { expect, it } from "vitest";
import { matchRoute } from "../../../src/local/http-api/routes.ts";
import { route } from "./gateway.ts";

const ROUTES = [
  route("ANY", "/{proxy+}"),
  route("GET", "/product/{id}"),
  route("GET", "/product/list"),
  route("ANY", "/product/list"),
  route("GET", "/product/{id}/reviews/{review}"),
  route("POST", "/checkout"),
  route("GET", "/"),
];

it.each([
  ["POST", "/checkout", "POST /checkout", {}],
  ["GET", "/checkout", "ANY /{proxy+}", { proxy: "checkout" }],
  ["GET", "/product/list", "GET /product/list", {}],
  ["PUT", "/product/list", "ANY /product/list", {}],
  ["GET", "/product/a%20b", "GET /product/{id}", { id: "a b" }],
  ["GET", "/product/%zz", "GET /product/{id}", { id: "%zz" }],
  ["GET", "/product/", "ANY /{proxy+}", { proxy: "product/" }],
  ["GET", "/product/7/reviews/9", "GET /product/{id}/reviews/{review}", { id: "7", review: "9" }],
  ["GET", "/a/b%2Fc", "ANY /{proxy+}", { proxy: "a/b/c" }],
  ["GET", "/", "GET /", {}],
])("%s %s is served by %s", (method, path, routeKey, parameters) => {
  expect(matchRoute(ROUTES, method, path)).toMatchObject({ routeKey, parameters });
});

it("matches nothing when neither method nor path fits, and $default when there is one", () => {
  expect(matchRoute([route("POST", "/checkout")], "GET", "/checkout")).toBeNull();
  expect(matchRoute([route("POST", "/checkout")], "POST", "/checkout/")).toBeNull();
  const routes = [route("ANY", "$default"), route("ANY", "/{proxy+}")];
  expect(matchRoute(routes, "POST", "/")).toMatchObject({ routeKey: "$default", parameters: {} });
  expect(matchRoute(routes, "POST", "/x")?.routeKey).toBe("ANY /{proxy+}");
});
