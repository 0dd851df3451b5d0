// What to do about a run that says nothing about the system, by the reason why it does not.

const REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [
    /^the generator was (late|out of CPU)/,
    "The sender had too little of its machine: run nothing else on it, give it --workers 2 or a " +
      "lower rate, or take a larger machine.",
  ],
  [
    /arrivals were dropped/,
    "More requests were open at once than in-flight allows: raise limits.in-flight, or take a " +
      "lower rate; a system that answers nothing fills it as well.",
  ],
  [
    /^not steady before the fault/,
    "The system did not hold steady: before anything was broken: look at the phase before the " +
      "fault, and at the limits under steady:.",
  ],
  [
    /^the run did not end/,
    "It was killed: gatecrash heal puts back what it may have left changed.",
  ],
  [
    /its onset was never observed|was never injected/,
    "Give the fault's phase more time, and look under Faults for what it was asked and answered.",
  ],
  [
    /by somebody else/,
    "Somebody else works on the same resource: agree on a time (gatecrash status says who).",
  ],
  [/credentials had ended/, "Log in again, or take credentials that last longer than the run."],
];

/** One or two sentences that end with what comes next. */
export function remedyFor(reason: string): string {
  const [, remedy = "Put this right."] = REMEDIES.find(([about]) => about.test(reason)) ?? [];
  return `${remedy} Then run again: nothing is said about the system under test.`;
}
