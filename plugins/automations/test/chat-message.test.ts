import { describe, expect, test } from "vitest";
import { toChatMessage } from "../src/notify/chat-message.ts";

describe("the message", () => {
  const news = {
    name: "Brief",
    result: "done",
    reason: null,
    costUsd: null,
    message: "",
    link: undefined,
  } as const;
  const graphemes = (text: string) =>
    [...new Intl.Segmenter("en").segment(text)].length;
  const bodyOf = (message: string) =>
    toChatMessage({ ...news, message })
      .text.split("\n\n")
      .slice(1)
      .join("\n\n");

  test("of hostile names and answers is harmless, and always fits", () => {
    const hostile = [
      "<!channel> <@U1> &<> *x* <http://evil|click>",
      "\u001b[31mred\u001b[0m\u0007 \u202Egnp.exe\u202C",
      "שלום עולם مرحبا",
      "@channel @here @all @Everyone",
      "[click](http://evil.example) ![x](http://evil.example/?q=1)",
      "\ud83d half, and a whole 😀",
      "x".repeat(10_000),
      "&".repeat(10_000),
      "😀".repeat(10_000),
      "👨‍👩‍👧‍👦".repeat(10_000),
      `Z${"\u0301".repeat(60_000)}`,
    ];
    for (const text of hostile) {
      const name = text.slice(0, 100);
      const message = toChatMessage({ ...news, name, message: text });
      const all = JSON.stringify(message);
      expect(JSON.parse(all)).toEqual(message);
      expect(all).not.toMatch(/<[!@]|<http|@channel|@here|@all|@everyone/i);
      expect(all).not.toMatch(/\]\(|\\u001b|\\u0007|\u202e/);
      expect(message.text).not.toMatch(/\p{Surrogate}/u);
      expect(message.text).not.toMatch(/&(?!amp;|lt;|gt;)/);
      expect(message.text.length).toBeLessThan(16_383);
      expect(message.blocks.length).toBeLessThanOrEqual(50);
      for (const { text: block } of message.blocks) {
        expect(block.text.length).toBeLessThanOrEqual(3000);
        // Never within an entity or a character.
        expect(block.text).not.toMatch(/&(?!amp;|lt;|gt;)|\p{Surrogate}/u);
      }
    }
  });

  test("is clipped at 1,500 characters as a reader counts them", () => {
    expect(bodyOf("x".repeat(1500))).toBe("x".repeat(1500));
    expect(bodyOf("x".repeat(1501))).toBe(`${"x".repeat(1499)}…`);
    expect(bodyOf("é😀".repeat(750))).toBe("é😀".repeat(750));
    const clipped = bodyOf("😀".repeat(1501));
    expect(graphemes(clipped)).toBe(1500);
    expect(clipped).toBe(`${"😀".repeat(1499)}…`);
    expect(bodyOf("&".repeat(1501))).toBe(`${"&amp;".repeat(1499)}…`);
    const flags = bodyOf("🏳️‍🌈".repeat(1501));
    expect(graphemes(flags)).toBe(1500);
  });

  test("without an answer is its first section only", () => {
    const { text, blocks } = toChatMessage(news);
    expect(text).toBe("✅ Brief is done · cost unknown");
    expect(blocks).toHaveLength(1);
  });
});
