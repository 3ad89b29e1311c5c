import { useResource, type Resource } from "@gantry/ui-kit";
import type { Cli, ListOf } from "../wire.ts";
import { toShortTitle } from "./toShortTitle.ts";

/** Loads the agent CLIs and their capabilities. */
export function useClis(): Resource<ListOf<Cli>> & {
  titleOf(name: string): string;
  find(name: string): Cli | undefined;
} {
  const resource = useResource<ListOf<Cli>>("/api/agents/clis");
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
