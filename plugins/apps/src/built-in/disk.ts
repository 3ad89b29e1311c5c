import type { AgentMessages } from "@gantry/plugin-agents/contract";
import type { App, AppActionResult, AppView } from "../contract.ts";
import { errors } from "../errors.ts";
import {
  readRoom,
  toAgents,
  toCleaning,
  toEntries,
  toPlugins,
  toStore,
} from "./disk/blocks.ts";
import { formatBytes } from "./disk/format-bytes.ts";
import { HomeMeter } from "./disk/home-meter.ts";
import type { MeterHost } from "./disk/home-meter.ts";
import type { Size } from "./disk/home-usage.ts";
import {
  clearCaches,
  measureCaches,
  measureOrphans,
  removeOrphans,
} from "./disk/remains.ts";
import type { RemainsHost } from "./disk/remains.ts";

const REFRESH_MS = 30_000;
/** While the home is still being measured. */
const FAST_REFRESH_MS = 2_000;

/** Dependencies of {@link createDiskApp}. */
export interface DiskHost extends MeterHost {
  wants: { messages(): AgentMessages | undefined };
}

/** Shows what the home of the daemon holds, and removes what can be spared. */
export function createDiskApp(host: DiskHost): App {
  const meter = new HomeMeter(host);
  const remains: RemainsHost = {
    home: host.home,
    clock: host.clock,
    messages: () => host.wants.messages(),
  };
  const actions: Record<string, (signal: AbortSignal) => Promise<Size>> = {
    "clear-cache": () => clearCaches(host.home),
    "remove-conversations": (signal) => removeOrphans(remains, signal),
  };
  return {
    id: "disk",
    name: "Disk",
    icon: "i-lucide-hard-drive",
    summary: "What the daemon's home holds, and what of it can be removed.",
    async view({ path }, signal): Promise<AppView> {
      if (path !== "")
        throw errors.APP_PAGE_NOT_FOUND({
          id: "disk",
          reason: "It has one page only.",
        });
      const [{ usage, isComplete, isOver }, room, caches, orphans] =
        await Promise.all([
          meter.read(),
          readRoom(host.home),
          measureCaches(host.home),
          measureOrphans(remains, signal),
        ]);
      const agents = await toAgents(usage.agents, remains, signal);
      return {
        title: "Disk",
        description: isComplete
          ? `What ${host.home} holds.`
          : `What ${host.home} holds, as far as it has been counted.`,
        blocks: [
          { type: "split", blocks: [...room, toStore(usage)] },
          toCleaning({ caches, orphans, quarantine: usage.quarantine }),
          toEntries(usage),
          toPlugins(usage),
          agents,
        ],
        refreshMs: isOver ? REFRESH_MS : FAST_REFRESH_MS,
      };
    },
    async action({ action }, signal): Promise<AppActionResult> {
      const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
      if (!act)
        throw errors.APP_REFUSED({
          id: "disk",
          reason: `There is no action ${action}.`,
        });
      const { bytes, count } = await act(signal);
      meter.forget();
      const files = count === 1 ? "1 file" : `${count} files`;
      const text = `Removed ${files}, ${formatBytes(bytes)}.`;
      return {
        toast: { text: count === 0 ? "There was nothing to remove." : text },
      };
    },
  };
}
