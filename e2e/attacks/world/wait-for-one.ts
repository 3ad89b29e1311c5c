import { expect, vi } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";

/** Where much else runs, what takes a moment takes long. */
const TIMEOUT_MS = 45_000;

/** Waits until a list has one item that is ready, and returns that. */
export async function waitForOne<Item = Record<string, unknown>>(
  api: ApiClient,
  path: string,
  isReady: (item: Item) => boolean = () => true,
): Promise<Item> {
  return await vi.waitFor(
    async () => {
      const { body } = await api.call<{ items: Item[] }>("GET", path);
      const ready = body.items.filter(isReady);
      expect(ready).toHaveLength(1);
      return ready[0]!;
    },
    { timeout: TIMEOUT_MS },
  );
}
