import { expect, test } from "vitest";
import { toProblemWords } from "../../ui/panel/problemWays.ts";
import { toWorkWords } from "../../ui/panel/workWords.ts";

const NOW = Date.parse("2026-11-28T12:00:00.000Z");
const LATER = "2026-11-28T15:00:00.000Z";
const EARLIER = "2026-11-28T11:00:00.000Z";

test.each([
  ["usage-limit", LATER, "You can continue at 15:00", "Continue"],
  ["usage-limit", EARLIER, "was reached", "Continue"],
  ["usage-limit", null, "was reached", "Continue"],
  ["authentication", null, "login", "Log in"],
  ["billing", null, "billing", "Try again"],
  ["overload", null, "overloaded", "Try again"],
  ["model", null, "model", "Use the default model"],
] as const)(
  "the way on after %s, with a reset at %s",
  (kind, resetsAt, title, label) => {
    const words = toProblemWords({ kind, resetsAt }, NOW, (time) =>
      time.slice(11, 16),
    );
    expect(words.title).toContain(title);
    expect(words.label).toBe(label);
  },
);

test("work in the background is counted and named", () => {
  const work = (title: string) => ({
    ...{ id: title, kind: "task" as const, title, startedAt: EARLIER },
  });
  expect(toWorkWords([work("npm test")])).toEqual({
    count: "1 background task running",
    titles: "npm test",
  });
  expect(toWorkWords([work("npm test"), work(""), work("lint")])).toEqual({
    count: "3 background tasks running",
    titles: "npm test; lint",
  });
});
