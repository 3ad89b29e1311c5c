import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is gone when the test is over. */
export async function createTemporaryFolder(name: string): Promise<{
  path: string;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const path = await mkdtemp(join(tmpdir(), `gantry-${name}-`));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
