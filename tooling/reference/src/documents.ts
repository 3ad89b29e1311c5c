import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { appView } from "@gantry/plugin-apps/contract";
import { format } from "prettier";
import * as z from "zod";
import { renderApiOutline } from "./api-outline.ts";
import { renderContractOutline } from "./contract-outline.ts";
import type { DescribedProduct } from "./areas.ts";

const docs = fileURLToPath(new URL("../../../docs/", import.meta.url));

/** A generated file as it is, empty if it is missing, and as it should be. */
export interface ComparedDocument {
  path: string;
  current: string;
  wanted: string;
}

/** The documents that are generated as a whole. */
export async function compareDocuments({
  areas,
  openapi,
}: DescribedProduct): Promise<ComparedDocument[]> {
  const errors = Object.assign(
    {},
    ...areas.map(({ area }) => area.errors),
  ) as DescribedProduct["areas"][number]["area"]["errors"];
  const schema = JSON.stringify(renderAppViewSchema());
  const documents = {
    "app-view.schema.json": await format(schema, { parser: "json" }),
    "api.txt": renderApiOutline(openapi, errors),
    "contract.txt": await renderContractOutline(),
  };
  return await Promise.all(
    Object.entries(documents).map(async ([name, wanted]) => {
      const path = join(docs, name);
      const current = await readFile(path, "utf8").catch(() => "");
      return { path, current, wanted };
    }),
  );
}

/** The JSON Schema of what an app gives as a page; what has a default may be left out. */
function renderAppViewSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(appView, { io: "input" });
  return { $schema, title: "A page of an app of Gantry", ...schema };
}
