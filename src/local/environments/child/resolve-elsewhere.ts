// Loader hook: a package that is not found beside the handler is looked for beside local AWS.

interface Resolved {
  readonly url: string;
}
interface Context {
  readonly parentURL?: string;
}
type NextResolve = (specifier: string, context: Context) => Promise<Resolved>;

/** Node's `resolve` hook; the signature is Node's. */
export async function resolve(
  specifier: string,
  context: Context,
  next: NextResolve,
): Promise<Resolved> {
  try {
    return await next(specifier, context);
  } catch (missing) {
    if (/^[./]|^[a-z]+:/.test(specifier)) throw missing;
    try {
      return await next(specifier, { ...context, parentURL: import.meta.url });
    } catch {
      throw missing;
    }
  }
}
