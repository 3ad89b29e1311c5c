import type { Daemon } from "./daemon.ts";
import { send } from "./http.ts";

const BATCH = 500;

/** Fills a list of the plugin of this package with records. */
export async function fillList(
  { base, session }: Daemon,
  list: "short" | "long",
  records: number,
): Promise<void> {
  for (let from = 0; from < records; from += BATCH) {
    const { status } = await send(`${base}/api/bench/seed`, {
      method: "POST",
      headers: session,
      body: { list, from, count: Math.min(BATCH, records - from) },
    });
    if (status !== 200)
      throw new Error(`The list "${list}" could not be filled: ${status}.`);
  }
}
