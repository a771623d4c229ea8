/** Icon is a drawing of lines, 16 by 16, beside a word or a label. */
export const Icon = ({ d }: { d: string }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path d={d} />
  </svg>
);
