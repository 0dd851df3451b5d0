// Where the JavaScript of a thread or child process lies.

/**
 * Threads and child processes run built JavaScript, also when their parent is loaded as TypeScript
 * by a test: `builtFile("./encoder.js", import.meta.url)` is then the file below dist/.
 */
export function builtFile(relative: string, from: string): URL {
  const url = new URL(relative, from);
  if (from.endsWith(".ts"))
    url.pathname = url.pathname.replace(/^(.*)\/(src|bench|test)\//, "$1/dist/$2/");
  return url;
}
