import type { Daemon } from "./daemon.ts";
import { send } from "./http.ts";

/** The parts of a run that are measured. */
export interface MeasuredRun {
  id: string;
  result: string;
  reason: string | null;
  costUsd: number | null;
}

/** Asks the daemon as its user. @throws Error unless the answer is a 200 */
export async function ask<Answer>(
  { base, session }: Daemon,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const answer = await send(base + path, { method, headers: session, body });
  const text = answer.body.toString();
  if (answer.status !== 200)
    throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Answer;
}

/** Everything in a list, page by page. */
export async function readAll<Item>(
  daemon: Daemon,
  path: string,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${cursor}`;
    const page: { items: Item[]; nextCursor: string | null } = await ask(
      daemon,
      "GET",
      `${path}?limit=500${query}`,
    );
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}
