import { randomUUID } from "node:crypto";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@gantry/plugin";
import {
  type AgentScreen,
  type OpenScreen,
  type OpenSession,
  toolEnvironment,
} from "@gantry/agent-kit";
import { piSettings } from "./pi-arguments.ts";
import { writePiReceiver } from "./pi-receiver.ts";

/** The command that continues a conversation on pi's own screen. */
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

/** pi writes a conversation to disk with the first answer; before that there is nothing to continue. */
export async function findSessionFile({
  resume,
}: OpenSession): Promise<string | null> {
  return await existing(resume?.resumeKey ?? null);
}

/** The path if a file exists there. */
export async function existing(file: string | null): Promise<string | null> {
  if (file === null) return null;
  return await access(file).then(
    () => file,
    () => null,
  );
}

/** Creates a conversation's file, so that its id and path are known before pi reports them. */
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
