import { expect, test } from "vitest";
import { PiTurnEnd } from "../src/pi-turn-end.ts";
import type { PiState } from "../src/pi-wire.ts";

const AT_REST: PiState = {
  sessionId: "ses",
  isStreaming: false,
  isCompacting: false,
};

test("the answer to a turn's state request does not end the next turn", async () => {
  const answers: ((state: PiState) => void)[] = [];
  let ended = 0;
  const turnEnd = new PiTurnEnd({
    // It is unknown whether this version reports when it is idle, so both arrive.
    settles: false,
    readState: () => new Promise((resolve) => answers.push(resolve)),
    started: async () => undefined,
    ended: async () => void (ended += 1),
  });
  turnEnd.expect();
  await turnEnd.agentStarted();
  await turnEnd.agentEnded(undefined);
  await turnEnd.settled();
  expect(ended).toBe(1);

  turnEnd.expect();
  answers[0]!(AT_REST);
  await new Promise(setImmediate);
  expect(ended).toBe(1);
  await turnEnd.agentStarted();
  await turnEnd.settled();
  expect(ended).toBe(2);
});
