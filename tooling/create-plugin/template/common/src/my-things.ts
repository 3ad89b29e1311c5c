import { createIdentifier } from "@gantry/plugin";
import type { Store } from "@gantry/plugin";
import { MyThing, MyThingAdded } from "./contract.ts";
import type { MyThingInput } from "./contract.ts";
import { errors } from "./errors.ts";

/** The stored my things. */
export type MyThings = ReturnType<typeof openMyThings>;

/** Opens the my things in the plugin's own part of the store. */
export function openMyThings(store: Store) {
  const collection = store.collection<MyThing>({
    name: "my-thing",
    version: 1,
    schema: MyThing,
    indexes: { title: ({ title }) => [toTitleKey(title)] },
  });
  let last: Promise<unknown> = Promise.resolve();

  async function addNext(input: MyThingInput): Promise<MyThing> {
    const { title } = input;
    if ((await collection.count("title", [toTitleKey(title)], 1)) > 0) {
      const message = "Another my thing has this title";
      throw errors.MY_PLUGIN_TITLE_TAKEN(
        { title },
        { errors: [{ path: "title", message }] },
      );
    }
    const id = createIdentifier("my-thing");
    // One batch: there is no my thing without its event, and no event without its my thing.
    return collection.insert(
      { id, ...input },
      { events: [MyThingAdded.of(id, { title })] },
    );
  }

  return {
    /** One page, newest first. */
    list: (page: { limit: number; cursor?: string }) => collection.list(page),
    /** @throws `MY_PLUGIN_TITLE_TAKEN` */
    add(input: MyThingInput): Promise<MyThing> {
      // One after the other: two at a time would both find the title free.
      const added = last.then(() => addNext(input));
      last = added.catch(() => undefined);
      return added;
    },
  };
}

/** Titles that differ only in their case are the same title. */
function toTitleKey(title: string): string {
  return title.normalize("NFC").toLowerCase();
}
