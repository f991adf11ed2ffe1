/** The bird's head: plumage in the colour of the text around, and the eye. */
export function Mark({ size = 32 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <path
        fill="currentColor"
        d="M3 28C3 14 8.500 6.500 16.500 6.500c5.500 0 8.800 2.900 10 6.700L31.500 16c-2.800 1.900-6 3-9.800 3.200-3.900.300-6.200 3-6.900 8.800z"
      />
      <circle cx="18.800" cy="12.800" r="3.100" fill="#f6c500" stroke="#161713" strokeWidth="1.300" />
      <circle cx="18.800" cy="12.800" r="1.200" fill="#161713" />
    </svg>
  );
}
