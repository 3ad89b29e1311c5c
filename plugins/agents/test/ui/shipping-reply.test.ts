import { describe, expect, test } from "vitest";
import { findReply } from "../../ui/shipping/findReply.ts";
import type { Entry } from "../../ui/wire.ts";
import { entry, said } from "./support/entries.ts";

const asked = (taskId: string, turnId = "trn_1") =>
  said("Write a commit message", {
    turnId,
    message: { taskId, source: "composer", delivery: "prompt", images: 0 },
  });

describe("a reply", () => {
  const known = { ended: new Set<string>(), isIdle: false };
  const find = (entries: Entry[], more = {}) =>
    findReply(entries.toReversed(), "tsk_1", { ...known, ...more });
  const reply = entry({ text: "Add prices" });

  test("is not there while the message waits or the turn runs", () => {
    expect(find([said("else"), reply])).toBeUndefined();
    expect(find([asked("tsk_1"), reply])).toBeUndefined();
    // The turn has just begun, which the page does not know yet.
    expect(find([asked("tsk_1")], { isIdle: true })).toBeUndefined();
  });

  test("is the last text of its own turn", () => {
    const thought = entry({ kind: "thinking", text: "hm" });
    const turn = [
      asked("tsk_1"),
      entry({ text: "Let me look" }),
      reply,
      thought,
    ];
    expect(find(turn, { ended: new Set(["trn_1"]) })).toBe("Add prices");
    expect(find(turn, { isIdle: true })).toBe("Add prices");
    const next = entry({ turnId: "trn_2", text: "Another turn" });
    expect(find([...turn, asked("tsk_2", "trn_2"), next])).toBe("Add prices");
  });
});
