import { useResource, type Resource } from "@gantry/ui-kit";
import type { Cli, ListOf } from "../wire.ts";
import { toShortTitle } from "./toShortTitle.ts";

/** The agent CLIs of this machine, with what each can do. */
export function useClis(): Resource<ListOf<Cli>> & {
  titleOf(name: string): string;
  find(name: string): Cli | undefined;
} {
  const resource = useResource<ListOf<Cli>>("/api/agents/clis", {
    // A CLI reports the limits of its subscription with its turns.
    refreshOn: ["agents.turn-finished"],
  });
  const find = (name: string) =>
    resource.data.value?.items.find((cli) => cli.name === name);
  return {
    ...resource,
    find,
    titleOf(name) {
      const cli = find(name);
      return cli ? toShortTitle(cli) : name;
    },
  };
}
