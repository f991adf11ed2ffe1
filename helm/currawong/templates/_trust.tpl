{{/* The certificate authorities of trustedCertificates, for Node: connections to Postgres, NATS and the store are checked against them too. */}}
{{- define "currawong.trust.env" -}}
{{- if .Values.trustedCertificates.secretName }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/currawong/trusted/ca.crt }
{{- end }}
{{- end -}}

{{- define "currawong.trust.mount" -}}
{{- if .Values.trustedCertificates.secretName }}
- { name: trusted, mountPath: /etc/currawong/trusted, readOnly: true }
{{- end }}
{{- end -}}

{{- define "currawong.trust.volume" -}}
{{- with .Values.trustedCertificates }}
{{- if .secretName }}
- name: trusted
  secret: { secretName: {{ .secretName }}, items: [{ key: {{ .key }}, path: ca.crt }] }
{{- end }}
{{- end }}
{{- end -}}
