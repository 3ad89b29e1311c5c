import { randomUUID } from "node:crypto";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@gantry/plugin";
import type { AgentScreen, OpenScreen, OpenSession } from "../../driver.ts";
import { toolEnvironment } from "../../tool-servers/tool-environment.ts";
import { piSettings } from "./pi-arguments.ts";
import { writePiReceiver } from "./pi-receiver.ts";

/** How pi's own screen continues a conversation. */
export async function piScreen(
  input: OpenScreen,
  clock: Clock,
  env: Readonly<Record<string, string>>,
): Promise<AgentScreen> {
  const { command, resume, receiver, folder } = input;
  const known = await findSessionFile(input);
  const session =
    resume && known
      ? { sessionId: resume.sessionId, resumeKey: known }
      : await beginSession(input, clock);
  const extension = await writePiReceiver(folder, receiver);
  return {
    file: command.file,
    args: [
      ...command.args,
      ...(await piSettings(input, session.resumeKey)),
      "-e",
      extension,
    ],
    env: { ...env, ...command.env, ...toolEnvironment(input.tools) },
    session,
    hasReceiver: true,
  };
}

/** pi stores a conversation with the first answer; before that there is nothing to continue. */
export async function findSessionFile({
  resume,
}: OpenSession): Promise<string | null> {
  return await existing(resume?.resumeKey ?? null);
}

/** The path if there is something at it. */
export async function existing(file: string | null): Promise<string | null> {
  if (file === null) return null;
  return await access(file).then(
    () => file,
    () => null,
  );
}

/** Begins a conversation by its file, so that its id and place are known before pi says anything of it. */
async function beginSession(
  { cwd, folder }: OpenScreen,
  clock: Clock,
): Promise<{ sessionId: string; resumeKey: string }> {
  const id = randomUUID();
  const resumeKey = join(folder, `${id}.jsonl`);
  const timestamp = clock.timestamp();
  const head = { type: "session", version: 3, id, timestamp, cwd };
  await writeFile(resumeKey, `${JSON.stringify(head)}\n`, {
    mode: 0o600,
    flag: "wx",
  });
  return { sessionId: id, resumeKey };
}
