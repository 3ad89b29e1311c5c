import type { App, AppActionResult, AppView } from "../contract.ts";
import { errors } from "../errors.ts";
import {
  EngineClient,
  EngineError,
  findSocketPaths,
} from "./docker/engine-client.ts";
import type { Container } from "./docker/engine-client.ts";
import { readLog } from "./docker/read-log.ts";

const REFRESH_MS = 5_000;
const MAX_LOG_LINES = 500;
const MAX_LINE_LENGTH = 4_000;
const CONTAINER_PATH = /^container\/([\da-f]{12,64})$/;
const CONTAINER_ID = /^[\da-f]{12,64}$/;

/** Shows the containers of Docker or Podman, starts and stops them. */
export function createDockerApp(
  engine = new EngineClient(findSocketPaths(process.env)),
): App {
  return {
    id: "docker",
    name: "Docker",
    icon: "i-lucide-container",
    summary: "Containers of this machine: start, stop and read their logs.",
    async badge(_input, signal) {
      if ((await engine.socket()) === undefined) return null;
      const running = (await engine.list(signal)).filter(isRunning).length;
      if (running === 0) return null;
      return { text: String(running), label: `${running} running` };
    },
    async view({ path }, signal): Promise<AppView> {
      const [, id] = CONTAINER_PATH.exec(path) ?? [];
      if (path !== "" && id === undefined)
        throw errors.APP_PAGE_NOT_FOUND({
          id: "docker",
          reason: "There is no such container.",
        });
      if ((await engine.socket()) === undefined) return MISSING;
      try {
        const containers = await engine.list(signal);
        if (id === undefined) return toList(containers);
        const found = containers.find((each) => each.Id.startsWith(id));
        if (!found)
          throw errors.APP_PAGE_NOT_FOUND({
            id: "docker",
            reason: "There is no such container any more.",
          });
        const log = await engine.logs(found.Id, MAX_LOG_LINES, signal);
        return toPage(found, log);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        return toUnreachable(error);
      }
    },
    async action({ action, args }, signal): Promise<AppActionResult> {
      const { id } = args;
      const isKnown = action === "start" || action === "stop";
      if (!isKnown || typeof id !== "string" || !CONTAINER_ID.test(id))
        throw errors.APP_REFUSED({
          id: "docker",
          reason: `There is no action ${action} with these arguments.`,
        });
      try {
        await engine[action](id, signal);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        throw errors.APP_REFUSED({ id: "docker", reason: error.message });
      }
      const text = action === "start" ? "It was started." : "It was stopped.";
      return { toast: { text } };
    },
  };
}

const isRunning = ({ State }: Container) => State === "running";
const nameOf = ({ Names, Id }: Container) =>
  (Names[0] ?? Id.slice(0, 12)).replace(/^\//, "").slice(0, 300);

function toList(containers: readonly Container[]): AppView {
  return {
    title: "Docker",
    description: "The containers of this machine.",
    blocks: [
      {
        type: "table",
        columns: [
          { key: "name", label: "Name" },
          { key: "state", label: "State" },
          { key: "image", label: "Image", isMinor: true },
          { key: "ports", label: "Ports" },
          { key: "created", label: "Made", isMinor: true },
        ],
        rows: containers.map((container) => ({
          id: container.Id,
          path: toPath(container),
          cells: {
            name: { text: nameOf(container), path: toPath(container) },
            state: toState(container),
            image: container.Image.slice(0, 2000),
            ports: toPorts(container) || null,
            created: { time: toTime(container) },
          },
          actions: [toButton(container)],
        })),
        isSearchable: containers.length > 8,
        empty: "There are no containers.",
      },
    ],
    refreshMs: REFRESH_MS,
  };
}

function toPage(container: Container, log: Buffer): AppView {
  return {
    title: nameOf(container),
    parent: { label: "Docker", path: "" },
    actions: [toButton(container)],
    blocks: [
      {
        type: "detail",
        facts: [
          { label: "State", value: toState(container) },
          { label: "Image", value: container.Image.slice(0, 2000) },
          { label: "Ports", value: toPorts(container) || null },
          { label: "Made", value: { time: toTime(container) } },
        ],
      },
      {
        type: "log",
        title: "Log",
        lines: readLog(log)
          .slice(-MAX_LOG_LINES)
          .map(({ text, time, isError }) => ({
            text: text.slice(0, MAX_LINE_LENGTH),
            time,
            tone: isError ? ("attention" as const) : ("neutral" as const),
          })),
        empty: "It has logged nothing.",
      },
    ],
    refreshMs: REFRESH_MS,
  };
}

const toPath = ({ Id }: Container) => `container/${Id.slice(0, 12)}`;
const toTime = ({ Created }: Container) =>
  new Date(Created * 1000).toISOString();

function toState(container: Container) {
  const { State, Status } = container;
  return {
    text: (Status || State).slice(0, 300),
    tone: isRunning(container)
      ? ("success" as const)
      : State === "dead" || State === "restarting"
        ? ("failed" as const)
        : ("neutral" as const),
  };
}

/** The ports that are reached from this machine: `8080 to 80`. */
function toPorts({ Ports }: Container): string {
  const texts = (Ports ?? [])
    .filter(({ PublicPort }) => PublicPort !== undefined)
    .map(({ PublicPort, PrivatePort }) => `${PublicPort} to ${PrivatePort}`);
  return [...new Set(texts)].join(", ").slice(0, 2000);
}

function toButton(container: Container) {
  const name = nameOf(container);
  const args = { id: container.Id };
  if (!isRunning(container))
    return { label: "Start", icon: "i-lucide-play", action: "start", args };
  return {
    label: "Stop",
    icon: "i-lucide-square",
    action: "stop",
    args,
    confirm: `This stops the container ${name}. It can be started again.`,
    isDanger: true,
  };
}

const MISSING: AppView = {
  title: "Docker",
  blocks: [
    {
      type: "markdown",
      text: "No container engine was found on this machine: there is no socket of Docker or Podman. Start the engine, or name its socket in the variable `DOCKER_HOST` of the daemon.",
    },
  ],
};

function toUnreachable({ message }: EngineError): AppView {
  return {
    title: "Docker",
    blocks: [
      {
        type: "markdown",
        text: `The container engine did not answer as expected. ${message}\n\nYour user may have to be in its group, and the engine has to run.`,
      },
    ],
    refreshMs: REFRESH_MS,
  };
}
