import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Guards against what hangs, not measures of the machine: hooks start processes, too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A pull request of this project is none of the scenarios in its tests.
    env: { GITHUB_EVENT_NAME: "", GITHUB_BASE_REF: "", CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "" },
    // On two cores: a third of the time of most tests is waiting for a run in real time.
    maxWorkers: 3,
    pool: "forks",
  },
});
