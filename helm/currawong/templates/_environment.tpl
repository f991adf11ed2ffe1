{{/* Variables as docs/settings.md names them. */}}

{{/* Of every service. Takes root, config, service (as in the keys of the Secrets) and name (for traces). */}}
{{- define "currawong.env.service" -}}
{{- $ := .root -}}
- { name: LOG_LEVEL, value: {{ $.Values.logLevel }} }
- { name: OTEL_SERVICE_NAME, value: {{ .service }} }
{{- with $.Values.tracing.endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ quote . }} }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ quote $.Values.tracing.sampleShare }} }
{{- end }}
- { name: SHUTDOWN_GRACE_SECONDS, value: {{ quote .config.shutdownGraceSeconds }} }
- { name: DRAIN_DELAY_SECONDS, value: {{ quote $.Values.drainDelaySeconds }} }
{{ include "currawong.env.region" $ }}
{{ include "currawong.env.nats" (list $ .service) }}
{{- range $name, $value := .config.settings }}
- { name: {{ $name }}, value: {{ kindIs "float64" $value | ternary (toJson $value) (toString $value) | quote }} }
{{- end }}
{{- include "currawong.trust.env" $ }}
{{- with $.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "currawong.env.region" -}}
- { name: CURRAWONG_REGION, value: {{ .Values.region }} }
{{- end -}}

{{/* Takes a list: the root, the service. */}}
{{- define "currawong.env.nats" -}}
{{- $ := index . 0 -}}
{{- $url := $.Values.evaluation.enabled | ternary (printf "nats://%s-nats:4222" (include "currawong.fullname" $)) $.Values.nats.url -}}
- { name: NATS_URL, value: {{ quote $url }} }
- { name: NATS_STREAM_REPLICAS, value: {{ $.Values.evaluation.enabled | ternary 1 $.Values.nats.streamReplicas | quote }} }
{{ include "currawong.env.secret" (list "NATS_NKEY_SEED" (include "currawong.secretName" (list $ "nats")) (index . 1)) }}
{{- end -}}

{{/* Takes a list: the root, the service. */}}
{{- define "currawong.env.database" -}}
{{ include "currawong.env.secret" (list "DATABASE_URL" (include "currawong.secretName" (list (index . 0) "databases")) (index . 1)) }}
{{- end -}}

{{- define "currawong.env.store" -}}
{{- $secret := include "currawong.secretName" (list . "store") -}}
- { name: S3_ENDPOINT, value: {{ .Values.evaluation.enabled | ternary (printf "http://%s-store:8333" (include "currawong.fullname" .)) .Values.store.endpoint | quote }} }
- { name: S3_BUCKET, value: {{ quote .Values.store.bucket }} }
- { name: S3_REGION, value: {{ .Values.region }} }
- { name: S3_PATH_STYLE, value: {{ or .Values.evaluation.enabled .Values.store.pathStyle | quote }} }
{{- with .Values.store.encryption.algorithm }}
- { name: S3_SERVER_SIDE_ENCRYPTION, value: {{ . }} }
{{- end }}
{{- with .Values.store.encryption.kmsKeyId }}
- { name: S3_KMS_KEY_ID, value: {{ quote . }} }
{{- end }}
{{- if not .Values.store.roleArn }}
{{ include "currawong.env.secret" (list "S3_ACCESS_KEY" $secret "access-key") }}
{{ include "currawong.env.secret" (list "S3_SECRET_KEY" $secret "secret-key") }}
{{- end }}
{{- end -}}

{{/* A variable out of a Secret. Takes a list: its name, that of the Secret, the key. */}}
{{- define "currawong.env.secret" -}}
- { name: {{ index . 0 }}, valueFrom: { secretKeyRef: { name: {{ index . 1 }}, key: {{ index . 2 }} } } }
{{- end -}}

{{/* Where customers reach the service; empty when nothing of this chart leads there. */}}
{{- define "currawong.publicUrl" -}}
{{- if .Values.gateway.publicUrl -}}
{{ .Values.gateway.publicUrl }}
{{- else if .Values.publicHost -}}
{{- $https := or (and .Values.ingress.enabled .Values.ingress.tlsSecretName) (and .Values.gatewayApi.enabled .Values.gatewayApi.https) -}}
http{{ if $https }}s{{ end }}://{{ .Values.publicHost }}
{{- end -}}
{{- end -}}

{{- define "currawong.env.gateway" -}}
{{- with include "currawong.publicUrl" . }}
- { name: PUBLIC_URL, value: {{ quote . }} }
{{- end }}
{{- $hops := or .Values.ingress.enabled .Values.gatewayApi.enabled | ternary 1 0 }}
- { name: TRUSTED_PROXY_HOPS, value: {{ kindIs "invalid" .Values.gateway.trustedProxyHops | ternary $hops .Values.gateway.trustedProxyHops | quote }} }
{{- with include "currawong.featureSecret" (list . "mail") }}
{{ include "currawong.env.secret" (list "SMTP_URL" . "smtp-url") }}
{{- end }}
{{- with include "currawong.featureSecret" (list . "signOn") }}
{{ include "currawong.env.secret" (list "OIDC_CLIENT_SECRET" . "oidc-client-secret") }}
{{- end }}
{{- end -}}

{{- define "currawong.env.billing" -}}
{{- with include "currawong.featureSecret" (list . "payments") }}
{{ include "currawong.env.secret" (list "STRIPE_SECRET_KEY" . "stripe-secret-key") }}
{{ include "currawong.env.secret" (list "STRIPE_WEBHOOK_SECRET" . "stripe-webhook-secret") }}
{{- end }}
{{- end -}}
