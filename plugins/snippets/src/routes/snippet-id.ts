import { errors } from "../errors.ts";

/** The `{id}` of a snippet. */
export const snippetId = {
  id: { prefix: "snp", missing: errors.SNIPPET_NOT_FOUND },
};
