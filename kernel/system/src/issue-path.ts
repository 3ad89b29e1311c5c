/** One problem that a schema reports, as Standard Schema defines it. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?:
    readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The position as a dotted path; empty for the whole value. */
export function issuePath(issue: SchemaIssue | undefined): string {
  return (issue?.path ?? [])
    .map((part) => String(typeof part === "object" ? part.key : part))
    .join(".");
}
