import type { ApiClient } from "./api-client.ts";

/** Reads a listing to its end. */
export async function readAll<Item>(
  api: ApiClient,
  path: string,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const query: string = `limit=500${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`;
    const { status, body } = await api.call<{
      items: Item[];
      nextCursor: string | null;
    }>("GET", `${path}${path.includes("?") ? "&" : "?"}${query}`);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    items.push(...body.items);
    cursor = body.nextCursor;
  }
  return items;
}
