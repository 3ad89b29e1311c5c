import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import {
  installPi,
  PERMISSION_GATE,
  PI_VERSIONS,
  startModelServer,
  writePiHome,
} from "@gantry/model-server";
import type { InstalledPi, ModelServer } from "@gantry/model-server";

/** The real pi of this machine, `undefined` if the registry is out of reach. The newest that is pinned. */
export const realPi: InstalledPi | undefined = await installPi(
  PI_VERSIONS.at(-1)!,
);

/**
 * A user who has pi on the PATH and its settings in the home folder, as its own set-up leaves them, and an extension
 * that asks before commands with the word "careful".
 */
export interface PiUser {
  /** What their model is; it says what it is told to. */
  readonly models: ModelServer;
  /** The environment that their daemon is started in. */
  readonly environment: NodeJS.ProcessEnv;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Makes such a user in a folder. */
export async function createPiUser(folder: string): Promise<PiUser> {
  if (!realPi) throw new Error("There is no pi on this machine.");
  const models = await startModelServer();
  const settings = join(folder, ".pi", "agent");
  await writePiHome(settings, models.url, realPi.version);
  await mkdir(join(settings, "extensions"));
  await writeFile(join(settings, "extensions", "gate.ts"), PERMISSION_GATE);
  return {
    models,
    environment: {
      HOME: folder,
      // pi is started by whatever `node` is found first.
      PATH: [realPi.commands, dirname(process.execPath), process.env["PATH"]]
        .filter(Boolean)
        .join(delimiter),
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      PI_SKIP_VERSION_CHECK: "1",
    },
    [Symbol.asyncDispose]: () => models.close(),
  };
}
