// `npm run bench -- NAME…`: what the README's claims rest on; without a name, all of it.
import { benchGate } from "./gate.ts";
import { benchJudge } from "./judge.ts";
import { benchKinesis } from "./kinesis.ts";
import { benchLoad } from "./load.ts";
import { benchLocalAws } from "./local-aws.ts";
import { benchAblations, benchNoisyNeighbour } from "./noisy-neighbour.ts";
import { benchPacing } from "./pacing.ts";
import { benchRecording } from "./recording.ts";
import { benchSoak } from "./soak.ts";
import { benchTenRuns } from "./ten-runs.ts";
import { benchWire } from "./wire.ts";

interface Bench {
  readonly about: string;
  readonly run: () => Promise<void> | void;
}

const BENCHES: { readonly [name: string]: Bench } = {
  wire: { about: "the wire client in a closed loop, beside its peers", run: benchWire },
  load: { about: "the load command in a closed loop, beside its peers", run: benchLoad },
  "local-aws": { about: "what local AWS bears, and what it admits", run: benchLocalAws },
  "noisy-neighbour": { about: "the backlog that starved checkout", run: benchNoisyNeighbour },
  ablations: { about: "the same system without one defence each", run: benchAblations },
  pacing: { about: "how evenly arrivals are sent, beside C", run: benchPacing },
  recording: { about: "what it costs to keep every attempt", run: benchRecording },
  kinesis: {
    about: "PutRecords beside the SDK, local Kinesis beside kinesalite",
    run: benchKinesis,
  },
  judge: { about: "judging ten million attempts", run: benchJudge },
  gate: { about: "how often the gate is wrong", run: benchGate },
  soak: { about: "a thousand killed processes: how many faults are left on", run: benchSoak },
  "ten-runs": { about: "the main job ten times for each system", run: benchTenRuns },
};

/** One that hangs must not hide the others. */
const LONGEST_MS = 30 * 60_000;

async function bounded(name: string, { about, run }: Bench): Promise<boolean> {
  console.log(`\n== ${name}: ${about}`);
  const startMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("took too long")), LONGEST_MS);
  });
  try {
    await Promise.race([run(), late]);
    console.log(`== ${name}: ${((performance.now() - startMs) / 1_000).toFixed(0)} s`);
    return true;
  } catch (error) {
    console.log(`== ${name} FAILED: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : Object.keys(BENCHES);
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(", ")}; there are:`);
  for (const [name, { about }] of Object.entries(BENCHES)) console.error(`  ${name}: ${about}`);
  process.exit(64);
}
let failed = 0;
for (const name of names) if (!(await bounded(name, BENCHES[name]!))) failed++;
process.exit(failed > 0 ? 1 : 0);
