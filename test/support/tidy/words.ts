// Rules about words: calls that have their place, types that are banned, names without unit.
import { isTypeScript, isUnder, lineAt, matches, type Rule } from "./source-file.ts";

interface Ban {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Where the rule does not hold. */
  readonly except: (path: string) => boolean;
}

const isClock = (path: string): boolean =>
  isUnder(path, "src/local", "src/cli", "bench", "bin", "test") ||
  /^src\/run\/(clock|pacing|timer-thread)\.ts$/.test(path);
/** Entries of threads and processes end them; bin ends the command. */
const isEntry = (path: string): boolean =>
  isUnder(path, "bin", "bench") || /(-thread|-child|-entry|\/worker|\/main)\.ts$/.test(path);
const printers = (path: string): boolean => isUnder(path, "src/cli", "bin", "bench");
const isNot =
  (...folders: string[]) =>
  (path: string) =>
    !isUnder(path, ...folders);
const nowhere = (): boolean => false;

const BANS: readonly Ban[] = [
  {
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bprocess\.hrtime\b/g,
    instead: "the clock is passed in (core/time.ts)",
    except: isClock,
  },
  { pattern: /\bMath\.random\b/g, instead: "a seeded Rng (core/rng.ts)", except: nowhere },
  {
    pattern: /\bsetTimeout\(/g,
    instead: "a test waits for an event, or advances its clock",
    except: isNot("test"),
  },
  { pattern: /\beval\(|\bnew Function\(/g, instead: "no text becomes code", except: nowhere },
  { pattern: /\bconsole\.\w+\(/g, instead: "only cli, bin and bench print", except: printers },
  { pattern: /\bprocess\.exit\(/g, instead: "throw, or set process.exitCode", except: isEntry },
];

/** Calls that the design allows in few places only. */
export const bannedCalls: Rule = (files) =>
  files
    .filter(isTypeScript)
    .flatMap((file) =>
      BANS.filter(({ except }) => !except(file.path)).flatMap(({ pattern, instead }) =>
        matches(file, pattern, instead),
      ),
    );

/** In the place of a type: behind `:`, `as`, `<`, `|`, `=>`, or last in a list of arguments. */
const ANY = /(?:[:<|&]|\bas|=>)\s*any\b(?!\s*[:(.])|,\s*any\s*>/g;

/** `any` and `enum` nowhere, default exports in configuration only. */
export const bannedTypes: Rule = (files) =>
  files
    .filter(isTypeScript)
    .flatMap((file) => [
      ...matches(file, ANY, "`any`: say what it is"),
      ...matches(file, /^\s*(?:export\s+)?(?:const\s+)?enum\s/gm, "`enum`: use a list of names"),
      ...(isConfiguration(file.path)
        ? []
        : matches(file, /^export\s+default\b/gm, "default export: name it")),
    ]);

const isConfiguration = (path: string): boolean =>
  /(^|\/)[\w-]+\.config\.ts$/.test(path) || isUnder(path, "scenarios");

/** A promise to do something later needs the place where it is kept. */
export const openPromises: Rule = (files) =>
  files.filter(isTypeScript).flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:TO[D]O|FIX[M]E)\b(?!\s*\(?#\d+)/g)].map(({ index }) => {
      const message = "a task without issue number: write (#123) behind it";
      return { path, line: lineAt(text, index), message };
    }),
  );

const MEASURABLE =
  "timeout|duration|delay|interval|latency|lag|elapsed|backoff|deadline|ttl|period|linger";
/** A bare `size` counts elements, as a Map's does; a `bodySize` is in bytes and should say so. */
const SUFFIXED = `\\b\\w*(?:${MEASURABLE})|\\b\\w+size`;
const UNITLESS = new RegExp(
  `(?:${SUFFIXED})\\??:\\s*(?:number|RunUs|EpochMs)\\b|(?:${SUFFIXED})\\s*=\\s*\\d[\\d_]`,
  "gi",
);

/** Numbers that are times or sizes carry their unit: `timeoutMs`, `sizeBytes`, `dueUs`. */
export const unitSuffixes: Rule = (files) =>
  files
    .filter((file) => isTypeScript(file) && !isFormat(file.path))
    .flatMap((file) => matches(file, UNITLESS, "a number without its unit in the name"));

/** Column and key names of formats that others read are documented where they are declared. */
const isFormat = (path: string): boolean => path === "src/core/facts.ts";
