// Puts a proxy between functions and each dependency that the template declares.
import { GatecrashError } from "../../core/error.ts";
import type { FunctionSpec } from "../function-host.ts";
import type { DependencySpec } from "../template/types.ts";
import type { Dependencies } from "./dependencies.ts";

/** The SDK's own variables: what they are by default is known. */
const SDK_VARIABLE = /^AWS_ENDPOINT_URL(_[A-Z0-9_]+)?$/;
/** Clients that speak HTTP/2 only. */
const NO_HTTP1 = ["AWS_ENDPOINT_URL_KINESIS"];

export interface DeployOptions {
  readonly dependencies: Dependencies;
  /** Of local AWS itself. */
  readonly endpoint: string;
  readonly gone: () => void;
}

/** The functions, with their variables leading to the proxies. Throws `scenario` with its place. */
export async function deployDependencies(
  declared: readonly DependencySpec[],
  functions: readonly FunctionSpec[],
  options: DeployOptions,
): Promise<readonly FunctionSpec[]> {
  let specs = functions;
  for (const dependency of declared) {
    const isMeant = ({ logicalId }: FunctionSpec): boolean =>
      dependency.functions?.includes(logicalId) ?? true;
    const target = targetOf(dependency, specs.filter(isMeant), options.endpoint);
    const port = await options.dependencies.open(dependency.name, target.origin, options.gone);
    const through = new URL(target);
    through.host = `127.0.0.1:${port}`;
    const url = through.pathname === "/" ? through.origin : through.href;
    specs = specs.map((spec) => (isMeant(spec) ? withVariable(spec, dependency, url) : spec));
  }
  return specs;
}

/** A function that does not know the variable gets none, unless it is one that every SDK reads. */
function withVariable(spec: FunctionSpec, { variable }: DependencySpec, url: string): FunctionSpec {
  if (spec.environment[variable] === undefined && !SDK_VARIABLE.test(variable)) return spec;
  return { ...spec, environment: { ...spec.environment, [variable]: url } };
}

function targetOf(
  { name, variable, functions, place }: DependencySpec,
  specs: readonly FunctionSpec[],
  endpoint: string,
): URL {
  const fail = (message: string): never => {
    throw new GatecrashError("scenario", `dependency ${name}: ${message}`, { place });
  };
  if (NO_HTTP1.includes(variable)) return fail(`${variable} is of a client that speaks HTTP/2`);
  const unknown = functions?.find((id) => specs.every(({ logicalId }) => logicalId !== id));
  if (unknown !== undefined) return fail(`there is no function ${unknown}`);
  const own = specs.flatMap(({ environment }) => environment[variable] ?? []);
  const otherwise = SDK_VARIABLE.test(variable) ? [endpoint] : [];
  const [target, ...more] = new Set(own.length > 0 ? own : otherwise);
  if (target === undefined) return fail(`no function has a variable ${variable}`);
  if (more.length > 0)
    return fail(`${variable} is not the same for all of its functions: name them in Functions`);
  if (!URL.canParse(target)) return fail(`${variable} is no URL: ${target}`);
  const url = new URL(target);
  if (url.protocol === "http:" && /^(localhost|127(\.\d+){3})$/.test(url.hostname)) return url;
  return fail(`${variable} leads to ${url.host}, which is not plain HTTP on this machine`);
}
