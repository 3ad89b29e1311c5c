import type { Clock, Log } from "@gantry/plugin";
import {
  driverErrors,
  type AgentCapabilities,
  type AgentDriver,
  type AgentSession,
  type DriverListener,
  holdsPrompt,
  NO_CAPABILITIES,
  type OpenSession,
  raceAbort,
  toolEnvironment,
} from "@gantry/agent-kit";
import { PI_TRUST_PATHS } from "./pi-cli.ts";
import { piArguments } from "./pi-arguments.ts";
import { writePiGate } from "./pi-gate.ts";
import { readPiMessage } from "./pi-record.ts";
import { existing, findSessionFile, piScreen } from "./pi-screen.ts";
import { PiSession } from "./pi-session.ts";

const capabilities: AgentCapabilities = {
  ...NO_CAPABILITIES,
  resume: true,
  steer: true,
  images: true,
  // pi itself never asks for permission; its extensions may, and ours does for `asksFirst`.
  asksFirst: true,
  model: true,
  thinking: true,
  extraPrompt: true,
  readOnly: true,
  compact: true,
  commands: true,
  fork: true,
  clone: true,
  terminal: true,
  login: true,
  nativeExport: true,
  tools: true,
  cost: "usd",
};

/** Environment settings that keep pi from contacting its own services. */
const ENVIRONMENT = { PI_SKIP_VERSION_CHECK: "1" };

/** Creates the driver for pi's RPC mode. */
export function createPiDriver(host: { clock: Clock; log: Log }): AgentDriver {
  return {
    name: "pi",
    capabilities,
    trustPaths: PI_TRUST_PATHS,
    versionArguments: ["--version"],
    async open(
      input: OpenSession,
      listener: DriverListener,
      signal: AbortSignal,
    ): Promise<AgentSession> {
      const sessionFile = await findSessionFile(input);
      const args = [
        ...input.command.args,
        ...(await piArguments(input, sessionFile)),
      ];
      const gate = input.asksFirst
        ? await writePiGate(input.folder)
        : undefined;
      if (gate) args.push("-e", gate.file);
      signal.throwIfAborted();
      const process = await input.start(args, {
        ...ENVIRONMENT,
        ...input.command.env,
        ...input.readingEnvironment,
        ...toolEnvironment(input.tools),
      });
      const { version } = input.command;
      const session = new PiSession(
        process,
        { ...host, capabilities, version, gateMark: gate?.mark },
        listener,
      );
      try {
        const state = await raceAbort(session.readState(signal), signal);
        if (gate && !session.hasGate)
          throw driverErrors.AGENT_NEVER_ASKS({
            cli: input.cli,
            reason: NO_GATE,
          });
        if (input.resume?.fork && sessionFile)
          await raceAbort(session.copy(input.resume.fork, signal), signal);
        if (state.model)
          await listener({
            type: "model",
            model: `${state.model.provider}/${state.model.id}`,
          });
        if (input.resume && !sessionFile)
          await listener({ type: "notice", turn: null, text: FRESH_NOTICE });
        await raceAbort(session.tellCommands(signal), signal);
        return session;
      } catch (error) {
        await session.kill();
        throw error;
      }
    },
    screen: (input) => piScreen(input, host.clock, ENVIRONMENT),
    // There is no command for it: `/login` on pi's screen, without storing a conversation.
    login: ({ file, args, env }) => ({
      file,
      args: [...args, "--no-session"],
      env: { ...ENVIRONMENT, ...env },
    }),
    nativeRecord: ({ resumeKey }) => existing(resumeKey),
    holdsPrompt: ({ resumeKey, ...prompt }) =>
      holdsPrompt(resumeKey, prompt, readPiMessage),
  };
}

const NO_GATE =
  "did not load the extension with which it asks before each tool";
const FRESH_NOTICE =
  "pi has no record of the conversation so far, so it starts over: it does not know what was said before.";
