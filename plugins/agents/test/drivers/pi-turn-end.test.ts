import { expect, test } from "vitest";
import { PiTurnEnd } from "../../src/drivers/pi/pi-turn-end.ts";
import type { PiState } from "../../src/drivers/pi/pi-wire.ts";

const AT_REST: PiState = {
  sessionId: "ses",
  isStreaming: false,
  isCompacting: false,
};

test("a question for the state that a turn had asked does not end the next one", async () => {
  const answers: ((state: PiState) => void)[] = [];
  let ended = 0;
  const turnEnd = new PiTurnEnd({
    // It is not known whether this version says when it is at rest, so both come.
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
