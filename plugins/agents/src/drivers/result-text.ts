import * as z from "zod";

const textBlock = z.looseObject({ type: z.literal("text"), text: z.string() });

/** The text of a tool's result, as blocks of content have it; pictures are only mentioned. */
export function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => {
      const text = textBlock.safeParse(part);
      if (text.success) return text.data.text;
      const type = (part as { type?: unknown } | null)?.type;
      return `[${typeof type === "string" ? type : "?"}]`;
    })
    .join("\n");
}
