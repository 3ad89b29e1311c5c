/**
 * The names in braces in a text: `"id"` for `/api/notes/{id}`. Any name if only `string` is known of the text. What is in
 * braces and is no word, such as JSON, is no name.
 */
export type PlaceholderName<Text extends string> = string extends Text
  ? string
  : NameIn<Text>;

type NameIn<Text extends string> =
  Text extends `${string}{${infer Name}}${infer Rest}`
    ? WordOf<Name> | NameIn<Rest>
    : never;

type WordOf<Name extends string> =
  Name extends `${string}${" " | '"' | ":" | "," | "{"}${string}`
    ? never
    : Name;
