import fc from "fast-check";
import { expect, test } from "vitest";
import { ConversationEnd } from "../../src/conversation/conversation-end.ts";
import type { Entry } from "../../src/transcript/entry.ts";

const entries = fc.array(
  fc.record({
    role: fc.constantFrom("user" as const, "assistant" as const),
    kind: fc.constantFrom("text" as const, "thinking" as const),
    text: fc.string({ maxLength: 60 }),
  }),
  { maxLength: 40 },
);

test("is the end of the whole conversation, for any entries", () => {
  fc.assert(
    fc.property(entries, fc.integer({ min: 1, max: 100 }), (all, maxChars) => {
      const end = new ConversationEnd(maxChars);
      for (const each of all) end.take(each as Entry);
      const said = all.filter(({ kind }) => kind === "text");
      const whole = said
        .map(({ role, text }) =>
          role === "user" ? `User: ${text}` : `Agent: ${text}`,
        )
        .join("\n\n");
      const last = said.findLast(({ role }) => role === "assistant");
      expect(end.text).toBe(whole.slice(-maxChars));
      expect(end.lastMessage).toBe(last?.text ?? null);
    }),
  );
});
