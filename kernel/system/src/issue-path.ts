/** One thing that a schema finds wrong, as Standard Schema has it. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?:
    readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Where it is, as a dotted path; empty for the whole. */
export function issuePath(issue: SchemaIssue | undefined): string {
  return (issue?.path ?? [])
    .map((part) => String(typeof part === "object" ? part.key : part))
    .join(".");
}
