import { afterAll } from "vitest";
import { RepositoryView } from "../../help/repository-view.ts";

/** Opens agents in folders, all in one daemon, which is stopped after the tests of the file. */
export function createViews(): (cwd: string) => Promise<RepositoryView> {
  let first: Promise<RepositoryView> | undefined;
  afterAll(async () => {
    await (await first)?.[Symbol.asyncDispose]();
  });
  return async (cwd) => {
    if (first) return await (await first).at(cwd);
    first = RepositoryView.open(cwd);
    return await first;
  };
}
