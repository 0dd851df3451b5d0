// What a release is: no install scripts, known licences, a list of its parts, a package that runs.
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const run = promisify(execFile);

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
}
const pack = JSON.parse(read("package.json"));
const locked = Object.entries(
  (JSON.parse(read("package-lock.json")) as { packages: { [path: string]: Locked } }).packages,
).filter(([path]) => path !== "");
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, "");
const shipped = locked.filter(([, { dev, devOptional }]) => !dev && !devOptional);

describe("installing", () => {
  test("runs no script of ours, and needs none of a dependency's", () => {
    expect(Object.keys(pack.scripts).sort()).toEqual(["bench", "build", "start", "test"]);
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = scripted.map(([path]) => nameOf(path));
    expect(pack.allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
  });

  test("takes exactly the versions that were tested, each with its digest", () => {
    const all = { ...pack.dependencies, ...pack.devDependencies };
    const loose = Object.entries(all).filter(([, version]) => !/^\d[\w.-]*$/.test(String(version)));
    expect(loose).toEqual([]);
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
  });
});

describe("licences", () => {
  test("of all that is shipped are those of the list in docs/supply-chain.md", () => {
    const byLicence = new Map<string, Set<string>>();
    for (const [path, { license = "none" }] of shipped) {
      const name = nameOf(path).replace(/^@esbuild\/.*/, "@esbuild/*");
      byLicence.set(license, (byLicence.get(license) ?? new Set()).add(name));
    }
    const rows = [...byLicence]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([licence, names]) => {
        return `| ${licence} | ${[...names]
          .sort()
          .map((name) => `\`${name}\``)
          .join(", ")} |`;
      });
    const table =
      read("docs/supply-chain.md").split("| licence | packages |\n|---|---|\n")[1] ?? "";
    expect(table.trim().split("\n")).toEqual(rows);
  });
});

describe("the bill of materials", () => {
  test("by the documented command has every part, and says what only development uses", async () => {
    const [line = ""] = /^npm sbom .*$/m.exec(read("docs/supply-chain.md")) ?? [];
    expect(read(".github/workflows/release.yml")).toContain(line.split(" > ")[0]);
    const args = (line.split(" > ")[0] ?? "").split(" ").slice(1);
    const { stdout } = await run("npm", args, { cwd: ROOT, maxBuffer: 64 * 1_048_576 });
    const { bomFormat, components } = JSON.parse(stdout) as {
      bomFormat: string;
      components: {
        name: string;
        version: string;
        hashes?: { alg: string }[];
        properties?: { name: string }[];
      }[];
    };
    expect(bomFormat).toBe("CycloneDX");
    const isDevelopment = (one: (typeof components)[number]): boolean =>
      one.properties?.some(({ name }) => name === "cdx:npm:package:development") === true;
    const runtime = components.filter((one) => !isDevelopment(one));
    const names = runtime.map(({ name, version }) => `${name}@${version}`);
    const wanted = shipped.map(([path, { version }]) => `${nameOf(path)}@${version}`);
    expect([...new Set(names)].sort()).toEqual([...new Set(wanted)].sort());
    expect(components.filter(({ hashes }) => hashes?.[0]?.alg !== "SHA-512")).toEqual([]);
  }, 120_000);
});

describe("the package", () => {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-packed-"));
  const modules = join(dir, "node_modules");
  const home = join(modules, "gatecrash");
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** As `npm install --omit=dev` leaves it: the package, and what it depends on beside it. */
  beforeAll(async () => {
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", dir];
    const { stdout } = await run("npm", args, { cwd: ROOT, maxBuffer: 64 * 1_048_576 });
    const [{ filename = "" } = {}] = JSON.parse(stdout) as { filename?: string }[];
    mkdirSync(modules);
    await run("tar", ["-xzf", join(dir, filename), "-C", dir]);
    cpSync(join(dir, "package"), home, { recursive: true });
    for (const [path] of shipped) {
      const name = path.replace(/^node_modules\//, "");
      if (name.includes("node_modules/")) continue; // comes with whoever needs it
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
    }
  }, 300_000);

  const gatecrash = (...args: string[]) =>
    run(process.execPath, [join(home, "dist/bin/gatecrash.js"), ...args], {
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: dir, XDG_STATE_HOME: join(dir, "state") },
    });

  test("holds what runs, what is read and what is read about, and no tests", () => {
    expect(readdirSync(home).sort()).toEqual([
      ...["LICENSE", "README.md", "SECURITY.md", "dist", "docs", "package.json"],
      ...["scenarios", "schema", "src"],
    ]);
    expect(readdirSync(join(home, "dist")).sort()).toEqual(["bin", "src"]);
    expect(JSON.parse(readFileSync(join(home, "package.json"), "utf8")).publishConfig).toEqual({
      access: "public",
      provenance: true,
    });
  });

  test("lints, plans, runs and reports where nothing but its dependencies is installed", async () => {
    const scenario = join(home, "scenarios/zero-concurrency");
    const version = await gatecrash("--version");
    expect(version.stdout.trim()).toBe(pack.version);
    const lint = await gatecrash("lint", scenario, "--variant", "hardened");
    expect(lint.stdout).toContain("0 errors");
    const plan = await gatecrash("plan", scenario, "--variant", "hardened");
    expect(plan.stdout).toContain("Nothing was sent");
    cpSync(join(ROOT, "test/fixtures/short"), join(dir, "short"), { recursive: true });
    const ran = await gatecrash("run", "short", "--out", "out").catch((error) => error);
    expect(ran.stdout, ran.stderr).toMatch(/balance {4}[\s\S]*undone and verified/);
    const html = await gatecrash("report", "out", "--format", "html").catch((error) => error);
    expect(html.stdout).toMatch(/^<!doctype html>/i);
  }, 300_000);
});
