/** Names of the parameters in a path: `"id"` for `/api/notes/{id}`. Any text if only `string` is known of the path. */
export type ParameterName<Path extends string> = string extends Path
  ? string
  : NameIn<Path>;

type NameIn<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}`
    ? Name | NameIn<Rest>
    : never;

/** Values of the parameters in a path, decoded: `{ readonly id: string }` for `/api/notes/{id}`. */
export type PathParameters<Path extends string = string> = {
  readonly [Name in ParameterName<Path>]: string;
};
