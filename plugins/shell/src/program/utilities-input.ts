/** Sources of a sheet. */
export interface UtilitiesInput {
  /** Further CSS with the values of the theme. */
  theme: string;
  /** Names that may be class names. */
  candidates: readonly string[];
  /** Finished CSS that comes after the utilities. */
  styles: readonly string[];
}

/** A finished sheet, uncompressed and compressed, in base64 by the suffix of its file. */
export type UtilitiesOutput = Readonly<Record<"" | ".br" | ".gz", string>>;
