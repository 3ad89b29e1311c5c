import type { Clock, Log } from "@gantry/plugin";
import { raceAbort } from "../../abort.ts";
import {
  NO_CAPABILITIES,
  type AgentCapabilities,
  type AgentDriver,
  type AgentSession,
  type DriverListener,
  type OpenSession,
} from "../../driver.ts";
import { errors } from "../../errors.ts";
import { toolEnvironment } from "../../tool-servers/tool-environment.ts";
import { PI_TRUST_PATHS } from "../../trust/trust-paths.ts";
import { holdsPrompt } from "../holds-prompt.ts";
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
  // pi itself asks for nothing; its extensions may, and ours does where it has to ask first.
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

/** Settings in the environment that keep pi from talking of itself. */
const ENVIRONMENT = { PI_SKIP_VERSION_CHECK: "1" };

/** Drives pi in its RPC mode. */
export function createPiDriver(host: { clock: Clock; log: Log }): AgentDriver {
  return {
    name: "pi",
    capabilities,
    trustPaths: PI_TRUST_PATHS,
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
          throw errors.AGENT_NEVER_ASKS({ cli: input.cli, reason: NO_GATE });
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
    // There is no command line for it: `/login` on its screen, without keeping a conversation for that.
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
  "pi has no record of the conversation so far, so it begins again: it does not know what was said before.";
