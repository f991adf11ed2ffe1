/** A currawong in the dark: what one sees of it is the white of the wing and the tail, and the eye. */
export function Bird() {
  return (
    <svg className="bird" viewBox="0 0 400 360" aria-hidden="true">
      <path
        className="bird-body"
        d="M392 118c-26-5-44-12-57-25-15-27-42-43-74-43-47 0-77 29-92 68C136 150 78 187 4 314l58-20c20 22 52 36 92 36 92 0 146-62 156-152 4-24 14-35 34-41 18-5 34-11 48-19z"
      />
      <path className="bird-patch" d="M186 196c-34 14-62 36-84 70 40-4 84-18 116-46-18 2-30-8-32-24z" />
      <path className="bird-patch" d="M4 314l58-20c-6-8-10-15-13-24z" />
      <circle className="bird-eye" cx="284" cy="92" r="17" />
      <circle className="bird-pupil" cx="284" cy="92" r="7.500" />
    </svg>
  );
}
