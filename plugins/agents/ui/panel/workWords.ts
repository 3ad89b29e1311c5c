import type { Agent } from "../wire.ts";

/** What an agent has at work beside its turns, in words. */
export function toWorkWords(work: Agent["openWork"]): {
  count: string;
  titles: string;
} {
  const count =
    work.length === 1
      ? "1 background task at work"
      : `${work.length} background tasks at work`;
  const titles = work.map(({ title }) => title).filter((title) => title !== "");
  return { count, titles: titles.join("; ") };
}
