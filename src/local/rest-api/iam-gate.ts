// IAM authorization of a REST API's methods: who signed, and whether his policies let him.
import { calledArnOf } from "../http-api/authorizer-call.ts";
import type { AskSigner, SignatureFault } from "../iam/signed-request.ts";
import type { RestApiSpec } from "../template/rest-types.ts";
import { gatewayResponse, type ResponseType } from "./answer.ts";
import type { Gate } from "./exchange.ts";

const TYPES: { readonly [fault in SignatureFault["fault"]]: ResponseType } = {
  missing: "MISSING_AUTHENTICATION_TOKEN",
  incomplete: "INVALID_SIGNATURE",
  signature: "INVALID_SIGNATURE",
  denied: "ACCESS_DENIED",
};

/** Methods without IAM authorization go through. */
export function iamGate(spec: RestApiSpec, signer: AskSigner): Gate {
  return (exchange) => {
    const { request, match, seen } = exchange;
    if (match.route.iam !== true) return null;
    const resource = calledArnOf(spec, request);
    const asked = signer(request, "execute-api", [{ action: "execute-api:Invoke", resource }]);
    if ("fault" in asked) {
      const step = asked.fault === "denied" ? "authorize" : "authenticate";
      seen[`${step}.status`] = 403;
      seen[`${step}.error`] = asked.message;
      return gatewayResponse(TYPES[asked.fault], asked.message);
    }
    seen["authenticate.status"] = 200;
    seen["authorize.status"] = 200;
    seen["identity.caller"] = asked.callerId;
    seen["identity.user"] = asked.callerId;
    seen["identity.userArn"] = asked.userArn;
    exchange.signer = asked;
    return null;
  };
}
