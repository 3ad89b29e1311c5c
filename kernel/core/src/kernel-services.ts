import {
  KernelFacts,
  KernelQuarantine,
  quarantineErrors,
} from "@gantry/plugin";
import { ownService } from "@gantry/system/context/own-service";
import { currentContext } from "@gantry/system/context/work-context";
import type { Foundation } from "./foundation.ts";
import { toQuarantinedRecord } from "./facts/gather-common.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";

/** Provides the services that plugins get from the kernel. */
export function provideKernelServices(
  plugins: Pick<PluginHost, "services" | "list">,
  facts: KernelFacts,
  foundation: Foundation,
): void {
  const given = [
    [KernelFacts, facts],
    [KernelQuarantine, createKernelQuarantine(foundation, plugins)],
  ] as const;
  for (const [{ id }, service] of given)
    plugins.services.provide(id, "kernel", ownService("kernel", service));
}

/** Creates the quarantine as plugins see it: an added plugin reaches only its own records, as in the store. */
function createKernelQuarantine(
  { quarantine, audit }: Foundation,
  plugins: Pick<PluginHost, "list">,
): KernelQuarantine {
  /** The records that the calling plugin reaches, and the audit log in which it is named. */
  function openForCaller() {
    const caller = currentContext()?.caller;
    const isDelivered = plugins
      .list()
      .some(({ id, origin }) => id === caller && origin === "builtin");
    const records = quarantine
      .list()
      .filter(({ owner }) => isDelivered || owner === caller);
    return {
      records,
      log: isDelivered ? audit : audit.as(caller ?? "unknown"),
      require(id: string): void {
        if (!records.some((record) => record.id === id))
          throw quarantineErrors.QUARANTINE_NOT_FOUND({ id });
      },
    };
  }

  return {
    list: () =>
      Promise.resolve(openForCaller().records.map(toQuarantinedRecord)),
    async restore({ id, by }) {
      const { log, require } = openForCaller();
      require(id);
      await quarantine.restore(id);
      await log.record("quarantine.restored", { id, by });
    },
    async delete({ id, by }) {
      const { log, require } = openForCaller();
      require(id);
      await quarantine.delete(id);
      await log.record("quarantine.deleted", { id, by });
    },
  };
}
