import { expect, test } from "vitest";
import { toEnd } from "../../src/drivers/codex/codex-items.ts";

const end = (result: unknown, more: object = {}) =>
  toEnd({
    ...{ type: "mcpToolCall", id: "i", server: "gantry", tool: "look" },
    ...{ status: "completed", result, error: null, ...more },
  } as Parameters<typeof toEnd>[0]);

test("the result of a server's tool is its text, and pictures are only mentioned", () => {
  const content = [
    { type: "text", text: "one\n- two" },
    { type: "image", data: "UklGRg==", mimeType: "image/webp" },
  ];
  expect(end({ content, structuredContent: null, _meta: null })).toEqual({
    ...{ failed: false, output: "one\n- two\n[image]" },
  });
});

test("a result without content is shown as it is", () => {
  const result = { content: [], structuredContent: { total: 3 } };
  expect(end(result).output).toBe(JSON.stringify(result));
  expect(end(undefined).output).toBe('""');
  const failed = { status: "failed", error: { message: "No such page" } };
  expect(end(null, failed)).toEqual({ failed: true, output: "No such page" });
});
